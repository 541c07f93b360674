import type { JSX } from "preact";
import { api, takeFile } from "../../api/client.ts";
import { useAction } from "../../api/use-action.ts";
import { Button } from "../../components/button.tsx";
import { DownloadIcon } from "../../components/icons.tsx";
import { saveFile } from "../../save-file.ts";
import { useProgram } from "../../session.tsx";
import { type Payout, paramOf } from "./queries.ts";

/** Only a payout whose amounts are final has a file. */
export function DownloadButton({ payout: { id, status } }: { readonly payout: Payout }): JSX.Element | null {
  const { program, may } = useProgram();
  const download = useAction(
    () =>
      takeFile(
        api.programs[":programId"].payouts[":payoutId"].$get({
          param: { ...paramOf(program), payoutId: String(id) },
          query: { format: "csv" },
        }),
      ),
    { onDone: saveFile },
  );
  if (!may("admin") || !["final", "confirming", "paid"].includes(status)) return null;
  return (
    <Button isPending={download.isPending} onClick={() => download.run(undefined)}>
      <DownloadIcon /> Download bank file
    </Button>
  );
}
