"""What faces people: the terminal game and, with it, the service."""
