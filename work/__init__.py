"""Many tasks, carried out by this machine's threads or by the workers of a Dask cluster.

A `Task` is the same work for every item; a crew carries it out, never far ahead of the one who
takes the results, in the caller's thread. Whoever takes them is the one writer, and what was
written is the checkpoint: to resume is to leave out the items that are done.
"""
