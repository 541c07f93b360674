import type { JSX } from "preact";
import { useProgram } from "../../session.tsx";
import { FileButton } from "./file-button.tsx";
import type { Payout } from "./queries.ts";

/** Downloads a payout's payment list, which is available only after the amounts are final. */
export function DownloadButton({ payout: { id, status } }: { readonly payout: Payout }): JSX.Element | null {
  const { may } = useProgram();
  if (!may("admin") || (status !== "final" && status !== "paid")) return null;
  return <FileButton payoutId={id} title="Payment list (CSV)" query={{ format: "csv" }} />;
}
