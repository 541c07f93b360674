import type { JSX } from "preact";
import { CopyButton } from "../../components/copy.tsx";
import { useProgram } from "../../session.tsx";
import { instructionsFor } from "./instructions.ts";

export function CopyInstructions(): JSX.Element {
  const { program } = useProgram();
  const { id: programId, name, currency } = program;
  const text = instructionsFor({ base: location.origin, programId, name, currency });
  return <CopyButton text={text} what="instructions" title="Copy instructions for my developer" />;
}
