import type { ComponentChildren, JSX } from "preact";

export const ReadOnlyFacts = ({
  facts,
}: {
  readonly facts: readonly (readonly [name: string, value: ComponentChildren])[];
}): JSX.Element => (
  <dl class="facts">
    {facts.map(([name, value]) => (
      <>
        <dt key={name}>{name}</dt>
        <dd>{value}</dd>
      </>
    ))}
  </dl>
);
