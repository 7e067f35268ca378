"""Everything below a root at once: indexed, solved, packed into blocks, looked up."""
