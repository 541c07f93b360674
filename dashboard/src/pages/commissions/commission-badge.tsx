import type { JSX } from "preact";
import { Badge, type Tone } from "../../components/badge.tsx";
import { correctedLabel, heldLabel, moneyLabels, statusLabels } from "../../outcome-labels.ts";
import { type Decidable, isUnconfirmed } from "./decide.ts";

const tones: Readonly<Record<Decidable["status"], Tone>> = {
  pending: "accent",
  approved: "good",
  paid: "plain",
  reversed: "warn",
  rejected: "bad",
  void: "plain",
};

export const CommissionBadge = (
  commission: Pick<Decidable, "status" | "unconfirmed" | "held" | "inPayout" | "corrected">,
): JSX.Element =>
  commission.corrected && commission.status !== "void" ? (
    <Badge tone="warn">{correctedLabel}</Badge>
  ) : commission.held ? (
    <Badge tone="warn">{heldLabel}</Badge>
  ) : isUnconfirmed(commission) ? (
    <Badge tone="warn">Needs confirmation</Badge>
  ) : commission.status === "approved" && commission.inPayout ? (
    <Badge tone="accent">{moneyLabels.inPayout}</Badge>
  ) : (
    <Badge tone={tones[commission.status]}>{statusLabels[commission.status]}</Badge>
  );
