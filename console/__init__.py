"""What both commands share: how a deal is asked for, how errors end, how progress shows."""
