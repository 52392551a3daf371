"""What is known of mutants: where the tests of a module are, and which mutants no test can tell apart."""

from __future__ import annotations


def _laws(*examples: str) -> tuple[str, ...]:
    """Return the laws of products for some payoffs: small enough without a compiler."""
    laws = (
        "products_are_adjoint_and_those_of_the_matrix",
        "single_precision_stays_single_and_close",
        "out_is_overwritten_and_returned",
    )
    return tuple(
        f"sequence/test_payoffs.py::test_law[{example}-{law}]"
        for example in examples
        for law in laws
    )


_STREETS = tuple(
    f"abstraction.street_{name}"
    for name in ["abstraction", "buckets", "centres", "division", "features", "kernels", "river"]
)


def _streets() -> tuple[str, ...]:
    """Return the tests of buckets street by street, those with parameters in the smallest game alone."""
    methods = ("expectation", "squared", "potential", "l1", "emd", "threshold", "opponents")
    own = (
        "standings_are_those_of_showdowns_one_by_one",
        *(
            f"arrays_of_any_library_agree_with_compiled_loops[island-{d}]"
            for d in ("numpy", "strict")
        ),
        *(f"buckets_have_parents_and_do_not_hang_on_suits[island-{name}]" for name in methods),
        *(
            f"boards_by_number_have_the_buckets_of_their_cards[island-{device}-{leaves}]"
            for device in ("None", "strict")
            for leaves in ("strength", "opponents")
        ),
        "deals_are_those_of_the_same_maps_over_listed_deals[island]",
        *(f"pairs_are_counted_alike_on_a_device[island-{boards}]" for boards in ("None", "40")),
        "matrices_that_stay_on_a_device_are_the_listed_ones[island-numpy]",
        "memory_is_asked_for_before_pairs_are_counted",
        "certificates_by_buckets_are_those_of_the_lifted_strategy[island-None]",
        "expectation_by_centres_is_as_good_as_over_listed_views",
        "equities_against_opponents_are_those_over_listed_deals[island]",
        *(
            f"with_buckets_enough_potential_is_that_over_listed_views[island-{metric}]"
            for metric in ("l2", "emd")
        ),
        "the_earth_mover_s_points_are_as_far_apart_as_it_moves",
        "chains_on_a_line_are_those_of_any_distances",
        "what_is_stored_comes_back",
        "what_cannot_be_is_said",
        "pairs_add_up_over_children",
        "games_that_have_no_streets_are_refused",
    )
    return tuple(f"abstraction/test_street_buckets.py::test_{name}" for name in own)


# The test files of a module, or single tests of them: the longest prefix of its name that is listed.
TESTS: dict[str, tuple[str, ...]] = {
    "abstraction": ("abstraction",),
    "abstraction.base": ("abstraction/test_abstraction_base.py", "strategy/test_store.py"),
    "abstraction.gameshrink": ("abstraction/test_gameshrink.py",),
    "abstraction.literal": ("abstraction/test_literal.py", "abstraction/test_counterexamples.py"),
    "abstraction.lossless": (
        "abstraction/test_gameshrink.py",
        "abstraction/test_counterexamples.py",
    ),
    "abstraction.dominated": ("abstraction/test_dominated.py",),
    "abstraction.expectation": (
        "abstraction/test_lossy_references.py",
        "abstraction/test_lossy.py",
    ),
    "abstraction.potential": ("abstraction/test_lossy_references.py", "abstraction/test_lossy.py"),
    **dict.fromkeys(_STREETS, _streets()),
    "abstraction.threshold": ("abstraction/test_lossy_references.py", "abstraction/test_lossy.py"),
    "abstraction.view_tree": ("abstraction/test_lossy.py",),
    "bundle": ("strategy/test_bundle.py", "strategy/test_store.py"),
    "certificates": ("certificates/test_tree.py", "certificates/test_certificates.py"),
    "certificates.arithmetic": ("certificates/test_arithmetic.py",),
    "certificates.certificate": ("certificates/test_arithmetic.py",),
    "certificates.public": ("certificates/test_public.py",),
    "certificates.gap": (
        "certificates/test_infosets.py",
        "certificates/test_streamed.py",
        "certificates/test_certificates.py",
        "certificates/test_agreement.py",
    ),
    "certificates.infosets": ("certificates/test_infosets.py",),
    "certificates.spots": (
        "spots/test_spots.py",
        "spots/test_spot_locks.py",
        "spots/test_spot_joint.py",
        "spots/test_spot_promises.py",
    ),
    "certificates.spot_hands": ("spots/test_spot_hands.py", "spots/test_spot_promises.py"),
    "certificates.spot_rest": ("spots/test_spot_promises.py",),
    "certificates.situations": (
        "certificates/test_situations.py::test_situations_are_those_of_the_tree[kuhn]",
        "certificates/test_situations.py::test_situations_are_those_of_the_tree[leduc]",
        "certificates/test_situations.py::test_situations_are_those_of_the_tree[no-limit]",
        "certificates/test_situations.py::test_the_first_situation_is_worth_the_certificates_value",
        "certificates/test_situations.py::test_what_takes_too_long_is_left_out",
        "certificates/test_situations.py::test_boards_that_cannot_be_are_refused",
        "certificates/test_situations.py::test_strategies_that_know_no_hands_are_refused",
    ),
    "certificates.parts_file": ("certificates/test_parts_file.py",),
    "road.leaks": ("certificates/test_leaks.py", "cli/test_certify_command.py"),
    "certificates.sampled": ("certificates/test_streamed.py",),
    "certificates.streamed": ("certificates/test_streamed.py", "certificates/test_agreement.py"),
    "certificates.board_walk": (
        "certificates/test_streamed.py",
        "abstraction/test_street_buckets.py::"
        "test_certificates_by_buckets_are_those_of_the_lifted_strategy",
    ),
    "certificates.board_arrays": ("certificates/test_streamed.py",),
    "certificates.board_kernel": (
        "certificates/test_streamed.py::test_views_as_on_the_public_tree[kuhn-random]",
        "certificates/test_streamed.py::test_views_as_on_the_public_tree[payments-random]",
        "certificates/test_streamed.py::test_views_as_on_the_public_tree[a round skipped-random]",
        "certificates/test_streamed.py::test_views_as_on_the_public_tree[two hole cards-random]",
        "certificates/test_streamed.py::test_views_as_on_the_public_tree[two hole cards-zero-reach]",
        "certificates/test_streamed.py::test_views_as_on_the_public_tree[leduc-random]",
        "certificates/test_streamed.py::test_views_as_on_the_public_tree[leduc-zero-reach]",
        "certificates/test_streamed.py::test_buckets_as_lifted[leduc]",
        "certificates/test_streamed.py::test_single_precision_is_near[leduc]",
    ),
    "certificates.columns": ("certificates/test_streamed.py", "certificates/test_agreement.py"),
    "certificates.bayesian": (
        "certificates/test_bayesian_cells.py",
        "qualitative/test_certify_bayesian.py",
    ),
    "certificates.tournament": ("tournament/test_algorithms.py", "tournament/test_jamfold.py"),
    "games.files": ("games/test_rules_file.py", "games/test_load.py"),
    "games.files.fields": ("games/test_fields.py",),
    "games.files.bayesian": ("qualitative/test_signal_file.py",),
    "games.files.acpc": ("play/test_acpc.py",),
    "games.files.betting_model": ("games/test_betting_models.py",),
    "games.files.bml": ("games/test_bml.py",),
    "games.files.bml_read": ("games/test_bml.py",),
    "games.files.spot": (
        "spots/test_spot_betting.py",
        "cli/test_spot_command.py",
        "cli/test_opening.py",
    ),
    "games.files.tournament": ("games/test_toml.py", "tournament/test_rules.py"),
    "games.files.toml": ("games/test_toml.py", "games/test_load.py"),
    "games.files.convert": ("games/test_convert.py",),
    "games.files.gambit": ("games/test_gambit_limits.py", "games/test_gambit.py"),
    "games.files.openspiel": ("games/test_openspiel.py",),
    "numerics.parts": ("numerics/test_parts.py",),
    "numerics.refinement": ("abstraction/test_refine.py", "abstraction/test_gameshrink.py"),
    "sequence": ("sequence",),
    "sequence.build": ("sequence/test_blocks.py", "sequence/test_treeplex.py"),
    "sequence.off_path": ("spots/test_off_path.py",),
    "sequence.treeplex": ("sequence/test_blocks.py",),
    "sequence.backends.compiled": ("sequence/test_blocks.py",),
    "sequence.backends": ("sequence/test_arrays.py", "sequence/test_payoffs.py"),
    "sequence.from_signals": (
        "sequence/test_payoffs.py",
        "sequence/test_stepwise.py",
        "sequence/test_tiling.py",
        "sequence/test_sampled.py",
    ),
    "sequence.payoffs": (
        "sequence/test_payoffs.py",
        "sequence/test_stepwise.py",
        "sequence/test_tiling.py",
    ),
    "sequence.payoffs.sparse": (
        "sequence/test_blocks.py",
        "sequence/test_treeplex.py",
        "sequence/test_sparse.py",
    ),
    "sequence.payoffs.ranked": (
        *_laws("Ranked0", "Ranked1"),
        "sequence/test_payoffs.py::test_ranked_showdowns_are_those_of_the_cards",
        "sequence/test_payoffs.py::test_a_hand_given_twice_is_refused",
    ),
    "sequence.payoffs.on_boards": (
        *_laws("OnBoards0", "OnBoards1", "OnBoards2", "OnBoards3"),
        *(
            f"sequence/test_payoffs.py::test_boards_pay_what_the_factors_do[kuhn(cards=4)-{leaves}]"
            for leaves in ("matrix", "half", "sorted")
        ),
        "sequence/test_payoffs.py::test_games_too_large_for_their_boards_are_refused",
    ),
    "sequence.payoffs.tiles": (
        *_laws("Factored1", "Factored2", "Factored3", "Factored5", "Factored6", "Factored7"),
        "sequence/test_payoffs.py::test_boards_pay_what_the_factors_do",
        "sequence/test_stepwise.py",
        "solvers/test_devices.py::test_iterations_are_the_same",
    ),
    "sequence.payoffs.over_runouts": (
        *_laws("Runouts0", "Runouts1"),
        "spots/test_spots.py",
        "spots/test_spot_promises.py",
    ),
    "sequence.payoffs.hand_rows": (*_laws("Runouts0", "Runouts1"), "spots/test_spots.py"),
    "sequence.payoffs.board_sums": (
        *_laws("Runouts0", "Runouts1"),
        "spots/test_spots.py::test_the_form_measures_what_the_certificate_says[river]",
        "spots/test_spots.py::test_the_form_measures_what_the_certificate_says[turn]",
        "spots/test_spot_joint.py::test_the_form_measures_what_the_certificate_says[river]",
        "spots/test_spot_joint.py::test_the_form_measures_what_the_certificate_says[turn]",
    ),
    "sequence.payoffs.joint_runouts": ("spots/test_spot_joint.py",),
    "sequence.payoffs.by_board": (
        *_laws("ByBoard0", "ByBoard1"),
        "sequence/test_arrays.py",
        "solvers/test_devices.py::test_a_spot_on_arrays",
    ),
    "sequence.backends.board_matrices": (
        "sequence/test_arrays.py",
        "solvers/test_devices.py::test_a_spot_on_arrays",
    ),
    "sequence.backends.products": (
        *_laws("Sparse0", "Factored0", "Factored1", "Factored4"),
        "sequence/test_sparse.py",
    ),
    "sequence.from_spot": (
        "spots/test_spots.py",
        "spots/test_spot_promises.py",
        "spots/test_spot_locks.py",
    ),
    "sequence.spot_levels": (
        "sequence/test_arrays.py",
        "solvers/test_devices.py::test_a_spot_on_arrays",
    ),
    "sequence.projection": ("sequence/test_projection.py",),
    "sequence.reductions.merge": ("sequence/test_shrink.py",),
    "sequence.reductions.restrict": ("sequence/test_restrict.py",),
    "sequence.reductions.eliminate": ("sequence/test_eliminate.py",),
    "sequence.reductions.grow": ("sequence/test_grow.py",),
    "sequence.prox": (
        "sequence/test_arrays.py::test_prox",
        "solvers/test_egt.py::"
        "test_smoothed_best_response_on_a_treeplex_is_attained_and_never_beaten",
        "solvers/test_egt.py::test_on_a_simplex_the_moduli_are_gilpins",
        "solvers/test_egt.py::test_prox_functions_are_as_strongly_convex_as_they_say",
        "solvers/test_egt.py::test_wide_blocks_and_single_ones_smooth_alike",
    ),
    "solvers.saddle": (
        "solvers/test_regret_kernels.py",
        "solvers/test_iterates.py",
        "solvers/test_cfr.py",
    ),
    "solvers.saddle.cfr_compiled": (
        "solvers/test_regret_kernels.py",
        "solvers/test_iterates.py",
        "solvers/test_cfr.py",
        "solvers/test_oracle.py",
    ),
    "solvers.saddle.cfr_arrays": ("solvers/test_devices.py", "solvers/test_iterates.py"),
    "solvers.saddle.cfr_boards": (
        "spots/test_spots.py::test_board_by_board_is_the_same_iteration",
        "spots/test_spots.py::test_the_engine_measures_what_the_certificate_says",
        "spots/test_spots.py::test_any_method_runs_on_a_spot",
        "spots/test_spots.py::test_save_open_resume",
        "spots/test_spot_locks.py",
        "solvers/test_devices.py::test_a_spot_on_arrays",
        "solvers/test_devices.py::test_iterations_are_the_same",
    ),
    "solvers.saddle.cfr_packed": (
        "spots/test_spot_packed.py::test_an_iteration_is_one_in_single_precision_packed",
        "spots/test_spot_packed.py::test_symmetric_runouts_and_flops",
        "spots/test_spot_packed.py::test_locks_hold",
        "spots/test_spot_packed.py::test_the_engine_measures_the_point_it_hands_out",
        "spots/test_spot_packed.py::test_a_run_goes_on_from_its_state_to_the_same_bytes",
        "spots/test_spot_packed.py::test_what_is_kept_is_what_was_estimated",
    ),
    "solvers.saddle.packed_rows": (
        "spots/test_spot_packed.py::test_packing_is_within_a_unit_and_as_written",
        "spots/test_spot_packed.py::test_what_was_packed_is_packed_again_to_the_same",
        "spots/test_spot_packed.py::test_over_time_nothing_is_lost",
        "spots/test_spot_packed.py::test_boards_are_unpacked_by_themselves",
        "spots/test_spot_packed.py::test_a_run_goes_on_from_its_state_to_the_same_bytes",
    ),
    "solvers.saddle.egt": ("solvers/test_egt.py",),
    "solvers.saddle.smoothing": ("solvers/test_smoothing.py",),
    "solvers.saddle.iterated": ("solvers/test_smoothing.py",),
    "solvers.saddle.sampling": ("solvers/test_sampling.py",),
    "solvers.saddle.oracle": ("solvers/test_oracle.py",),
    "solvers.saddle.expansion": ("solvers/test_oracle.py",),
    "solvers.saddle.restricted_in_place": ("solvers/test_oracle.py",),
}

# Mutants that no test can tell from the original: (module, line, what was -> what is), and why.
EQUIVALENT: dict[tuple[str, str, str], str] = {
    (
        "sequence.off_path",
        "_BATCH = 400_000  # sequences of boards that are looked at at once",
        "400_000 -> 399999",
    ): "boards may be taken any number at a time, which is tested",
    (
        "sequence.backends.updates",
        "self.regrets = device.fused(self._regrets, any_size=True)",
        "True -> False",
    ): "a device that compiles has fewer kernels by it, and no other numbers",
    (
        "certificates.tree",
        "values.append(arithmetic.collect(np.zeros(len(ends), np.int32), total, 1)[:, 0])",
        "1 -> 0",
    ): "the one place that is asked for exists anyway: everything falls on it",
    (
        "certificates.tree",
        "for level in game.depth_levels[1:]:",
        "game.depth_levels[1:] -> game.depth_levels[1 + 1:]",
    ): "the first level is multiplied by the root's reach, which is one",
    (
        "certificates.public",
        "self.expected = np.zeros((3, nodes, hands))",
        "3 -> 4",
    ): "nobody reads the fourth row",
    (
        "certificates.public",
        "below = expected if tree.entry[child] >= 0 else value",
        "0 -> 1",
    ): "only the root enters round 0, and it is nobody's child",
    (
        "sequence.payoffs.sparse",
        "keep = factor > 0",
        "factor > 0 -> factor >= 0",
    ): "entries that become zero are dropped when the operator is made",
    (
        "sequence.payoffs.sparse",
        "matrix.sort_indices()",
        "matrix.sort_indices() -> pass",
    ): "SciPy's conversions sort, too; kernels rely on it",
    (
        "numerics.refinement",
        "for salt in range(8):",
        "8 -> 9",
    ): "one more try after eight",
    (
        "numerics.refinement",
        "member = Relation.of((0, 0), shape, np.arange(len(target)), target, np.ones(len(target)))",
        "0 -> 1",
    ): "only the matrix of this relation is used",
    (
        "numerics.refinement",
        "cells = _mix(_mix(levels.view(np.uint64) ^ tag) + sums.indices.astype(np.uint64))",
        "_mix(levels.view(np.uint64) ^ tag) + sums.indices.astype(np.uint64) -> "
        "_mix(levels.view(np.uint64) ^ tag) - sums.indices.astype(np.uint64)",
    ): "another hash, as good",
    (
        "bundle",
        "if info.compress_type != zipfile.ZIP_STORED or info.file_size > len(view):",
        "info.file_size > len(view) -> info.file_size >= len(view)",
    ): "a member is smaller than the file, which has a header before it",
    (
        "abstraction.threshold",
        "return place.reshape(-1), distinct / distinct.sum(axis=1, keepdims=True)",
        "distinct / distinct.sum(axis=1, keepdims=True) -> "
        "distinct * distinct.sum(axis=1, keepdims=True)",
    ): "the sums are one but for rounding, which is rounded away again",
    (
        "abstraction.literal",
        "total[payment] += weight * share",
        "total[payment] += weight * share -> total[payment] -= weight * share",
    ): "signs that alternate with the depth tell apart the same nodes; a test says that they sum to one",
    (
        "abstraction.dominated",
        "outcome = max((abs(v).max() for s in rounds for v in s.values.values()), default=0.0)",
        "abs(v).max -> abs(v).min",
    ): "a smaller slack for rounding, of which there is none in small games",
    (
        "certificates.bayesian",
        "degree = 0 if profile.signals.finite else game.players - 1",
        "0 -> 1",
    ): "a constant is a line, too",
    (
        "certificates.bayesian",
        "return [float(r.real) for r in roots if abs(r.imag) < 1e-12 and 0.0 < r.real < 1.0]",
        "1e-12 -> 1.000000000001",
    ): "more places to look at, none of which is a better one",
    (
        "certificates.gap",
        "is_poker = isinstance(game, PokerGame) and set(game.tree.kinds) <= {SHOWDOWN}",
        "set(game.tree.kinds) <= {SHOWDOWN} -> set(game.tree.kinds) < {SHOWDOWN}",
    ): "the explicit tree says what the public one says, slower",
    (
        "sequence.projection",
        "plan[np.uint32(blocks.start[b] + a * width + k)] *= t / total",
        "blocks.start[b] + a * width + k -> blocks.start[b] + a * width - k",
    ): "the factor is one but for rounding",
    (
        "sequence.reductions.merge",
        "if sum(len(own) and int(own.max()) + 1 for own in classes) > most:",
        "1 -> 0",
    ): "where merging begins to pay is a guess, and one class more or less of no account",
    (
        "sequence.reductions.merge",
        "if sum(len(own) and int(own.max()) + 1 for own in classes) > most:",
        "int(own.max()) + 1 -> int(own.max()) - 1",
    ): "likewise",
    (
        "sequence.reductions.eliminate",
        "slack = TOLERANCE * np.abs(payoffs.data).max(initial=0.0)",
        "0.0 -> 1.0",
    ): "payoffs are scaled to about one before",
    (
        "games.files.betting_model",
        'fields.fail("commit", "a part of a stack, above 0 and up to 1")',
        'fields.fail("commit", "a part of a stack, above 0 and up to 1") -> pass',
    ): "the offer refuses it next, by the same sentence",
    (
        "solvers.saddle.cfr",
        "if tiled is not None:",
        "tiled is not None -> tiled is None",
    ): "whole plans iterate as tiles do, slower",
    (
        "solvers.saddle.cfr",
        "if self.space.widest == 1:",
        "1 -> 0",
    ): "blocks of one bucket iterate as sets do, slower",
    (
        "certificates.gap",
        "if comb(game.deck.size, game.hole) > _FEW_HANDS:",
        "comb(game.deck.size, game.hole) > _FEW_HANDS -> "
        "comb(game.deck.size, game.hole) <= _FEW_HANDS",
    ): "both roads say the same, one of them sooner",
    (
        "certificates.gap",
        "if comb(game.deck.size, game.hole) > _FEW_HANDS:",
        "comb(game.deck.size, game.hole) > _FEW_HANDS -> "
        "comb(game.deck.size, game.hole) >= _FEW_HANDS",
    ): "likewise",
    (
        "certificates.gap",
        "return False",
        "return False -> return None",
    ): "neither is true",
    (
        "sequence.from_signals",
        "final = int(tree.round[bound[0].nodes[0, 0]])",
        "0 -> 1",
    ): "every node of every bundle is of the last round",
    (
        "sequence.payoffs.forms",
        "if largest > _LARGEST or len(self.place) < _EMPTIEST * self.pairs:",
        "largest > _LARGEST -> largest >= _LARGEST",
    ): "up to which size steps are looked for is a guess",
    (
        "sequence.backends.array_payoff",
        "if count * tall * wide > _BATCHED_SHARE * height * width:",
        "_BATCHED_SHARE * height -> _BATCHED_SHARE / height",
    ): "products by components and by the whole matrix are the same, and tested to be",
    (
        "sequence.backends.array_payoff",
        "if count * tall * wide > _BATCHED_SHARE * height * width:",
        "count * tall * wide > _BATCHED_SHARE * height * width -> "
        "count * tall * wide <= _BATCHED_SHARE * height * width",
    ): "likewise",
    (
        "games.files.bml_read",
        'root = self._node(0, "", _State(blinds, 0.0, big if small < big else 0.0))',
        "small < big -> small <= big",
    ): "a raise is by the big blind at least, whatever was raised before",
    (
        "certificates.spots",
        "batch = max(1, _PAIRS // pairs) if is_last else 1",
        "_PAIRS // pairs -> _PAIRS * pairs",
    ): "how many boards are taken at once is a matter of memory",
    (
        "certificates.streamed",
        "deals = walk.deals(walk.game.rounds - 1)",
        "1 -> 0",
    ): "no cards are dealt after the last round",
    (
        "certificates.board_walk",
        "return [device.put(found) if self.is_compiled else found] * 2",
        "2 -> 3",
    ): "nobody reads a third player's",
    (
        "certificates.board_walk",
        "_SLOTS = 32  # more leaves than a round of limit betting has",
        "32 -> 33",
    ): "how many entries are taken at once is a guess",
    (
        "sequence.backends.board_matrices",
        "batch = max(1, _PAIRS // (rooms[0] * rooms[1]))",
        "1 -> 0",
    ): "where it is one player's room twice: how many boards are compared at once is a matter of memory",
    (
        "sequence.payoffs.by_board",
        "used = (paid[0] != 0) | (paid[1] != 0)",
        "0 -> 1",
    ): "where one is compared with: nobody is paid as much, and a leaf that pays nothing adds nothing",
    (
        "solvers.saddle.cfr_compiled",
        "freed = (side.held >= 0) & (own < 0)",
        "0 -> 1",
    ): "what is held again is put back at once",
    (
        "solvers.saddle.restricted_in_place",
        "_AT_ONCE = 200",
        "200 -> 199",
    ): "how many iterations are done between two measurements is a guess",
    (
        "solvers.saddle.restricted_in_place",
        'f"held.{player}": np.full(side.space.size, -1.0) if side.held is None else side.held',
        "-1.0 -> 1.0",
    ): "before anything is solved there are no regrets, and what is freed begins without any",
    (
        "sequence.payoffs.on_boards",
        "if own.start < own.stop:",
        "own.start < own.stop -> own.start <= own.stop",
    ): "a part without boards adds nothing",
    (
        "abstraction.street_buckets",
        "new = (kind < 0) & (reached >= 0)",
        "0 -> 1",
    ): "of two renamings that lead to the same class either will do",
}
