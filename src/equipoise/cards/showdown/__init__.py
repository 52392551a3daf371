"""Showdowns before the flop: two and three hands, by class of starting hand."""

from equipoise.lazy import attach

_HOME: dict[str, str] = {
    "CLASSES": "equipoise.cards.showdown.classes",
    "COMBOS": "equipoise.cards.showdown.classes",
    "ORDERS": "equipoise.cards.showdown.classes",
    "PERMUTED": "equipoise.cards.showdown.classes",
    "PLACES": "equipoise.cards.showdown.classes",
    "ThreeWay": "equipoise.cards.showdown.tables",
    "TwoWay": "equipoise.cards.showdown.tables",
    "class_number": "equipoise.cards.showdown.classes",
    "sampled_three_way": "equipoise.cards.showdown.sample",
    "sorted_triples": "equipoise.cards.showdown.classes",
    "sorting": "equipoise.cards.showdown.classes",
    "three_way": "equipoise.cards.showdown.tables",
    "triple_number": "equipoise.cards.showdown.classes",
    "two_way": "equipoise.cards.showdown.tables",
}

__all__ = [*_HOME]

__getattr__, __dir__ = attach(__name__, _HOME)
