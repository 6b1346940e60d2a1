"""The local tools: finding them, starting them as jobs that outlive the terminal, reading what they leave."""
