"""What is different between LLM APIs; everything else of the gateway knows none of them."""
