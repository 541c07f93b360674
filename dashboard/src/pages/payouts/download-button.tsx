import type { JSX } from "preact";
import { useProgram } from "../../session.tsx";
import { FileButton } from "./file-button.tsx";
import type { Payout } from "./queries.ts";

/** Downloads the file of a payout, which exists only once the amounts are final. */
export function DownloadButton({ payout: { id, status } }: { readonly payout: Payout }): JSX.Element | null {
  const { may } = useProgram();
  if (!may("admin") || (status !== "final" && status !== "paid")) return null;
  return <FileButton payoutId={id} title="Payment list (CSV)" query={{ format: "csv" }} />;
}
