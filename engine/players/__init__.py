"""Players that are no perfect ones: the game's own computer player, and how it is dealt."""
