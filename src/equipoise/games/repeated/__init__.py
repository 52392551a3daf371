"""Repeated games with incomplete information on one side."""
