"""Plots: a chart is described once and written as a web page or as a picture."""
