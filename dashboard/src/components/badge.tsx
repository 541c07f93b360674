import type { ComponentChildren, JSX } from "preact";

export type Tone = "good" | "warn" | "bad" | "accent" | "plain";

export const Badge = ({
  tone = "plain",
  children,
}: {
  readonly tone?: Tone;
  readonly children: ComponentChildren;
}): JSX.Element => <span class={`badge ${tone}`}>{children}</span>;
