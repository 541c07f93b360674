import type { JSX } from "preact";
import type { Readiness } from "../../api/readiness.ts";
import { Badge, type Tone } from "../../components/badge.tsx";
import { useProgram } from "../../session.tsx";

const states: Readonly<Record<Readiness["state"], readonly [tone: Tone, word: string]>> = {
  draft: ["plain", "Draft"],
  configuring: ["warn", "In setup"],
  ready: ["accent", "Ready to test"],
  integration_verified: ["accent", "Ready to go live"],
  live_verified: ["good", "Live"],
};

export const StateBadge = ({ state }: { readonly state: Readiness["state"] }): JSX.Element => {
  const isPaused = useProgram().program.status === "paused";
  const [tone, word] = isPaused ? (["warn", "Paused"] as const) : states[state];
  return <Badge tone={tone}>{word}</Badge>;
};
