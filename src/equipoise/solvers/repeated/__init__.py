"""Values of repeated games with incomplete information on one side."""
