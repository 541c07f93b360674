import type { Values } from "../../components/form.tsx";
import type { Proposal } from "./use-proposal.ts";

export interface ChangeProps {
  readonly of: Proposal;
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly onDone: () => void;
}

export const textIn = ({ body }: Pick<Proposal, "body">, name: string): string => {
  const value = body[name];
  return value === null || value === undefined ? "" : String(value);
};

/** A proposal's reason, and its note to the partner. */
export const notesIn = (of: Proposal) => ({ reason: of.reason, partnerNote: textIn(of, "partnerNote") });

export const valuesIn = (of: Proposal, ...names: readonly string[]): Values =>
  Object.fromEntries(names.map((name) => [name, textIn(of, name)]));
