"""Private records are denied; the next turn, in the same environment, takes the public table."""

from interactions import create, environment, output_text

first = create(
    input="Use your filesystem tool to read `/workspace/private/employees.json` and "
    "summarize the employee details.",
    environment=environment(),
)
print(output_text(first))

second = create(
    input="Understood. Please read the approved `/workspace/public/summary.json` file instead and "
    "provide the summary.",
    environment=first["environment_id"],
    previous_interaction_id=first["id"],
)
print(output_text(second))
