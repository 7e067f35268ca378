"""States in the forms people and programs exchange: JSON, notation, a picture."""
