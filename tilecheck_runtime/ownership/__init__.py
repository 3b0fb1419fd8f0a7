"""Who may use which memory: states of tensors, kept on storage, and the errors that say what is wrong."""
