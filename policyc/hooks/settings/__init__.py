"""Settings files that others write too: read with care, edited where they must change and nowhere else."""
