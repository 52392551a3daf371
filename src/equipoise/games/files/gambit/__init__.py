"""Gambit's file formats: readers and writers of ``.efg`` and ``.nfg``."""

from equipoise.games.files.gambit.efg import parse_efg, read_efg
from equipoise.games.files.gambit.nfg import parse_nfg, read_nfg
from equipoise.games.files.gambit.write import write_efg, write_nfg

__all__ = ["parse_efg", "parse_nfg", "read_efg", "read_nfg", "write_efg", "write_nfg"]
