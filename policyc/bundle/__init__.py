"""The artifact: archive layout, manifest, signatures, keys, and the record of what was served."""
