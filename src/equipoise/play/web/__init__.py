"""The web application: play against strategies, look into them, watch solves, read certificates.

Everything is served by this process, on this machine unless told otherwise; the browser needs nothing else.
"""
