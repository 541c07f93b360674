import type { JSX } from "preact";
import { api } from "../../api/client.ts";
import { ExportButton } from "../../components/export-button.tsx";
import { paramOf, useProgram } from "../../session.tsx";
import type { Payout } from "./queries.ts";

/** Only a payout whose amounts are final has a file. */
export function DownloadButton({ payout: { id, status } }: { readonly payout: Payout }): JSX.Element | null {
  const { program, may } = useProgram();
  if (!may("admin") || (status !== "final" && status !== "paid")) return null;
  const param = { ...paramOf(program), payoutId: String(id) };
  return (
    <ExportButton
      title="Payment list (CSV)"
      call={() => api.programs[":programId"].payouts[":payoutId"].$get({ param, query: { format: "csv" } })}
    />
  );
}
