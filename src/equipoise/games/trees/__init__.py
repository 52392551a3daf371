"""Game trees and matrices: explicit games, built by hand or from rules."""
