import type { JSX } from "preact";
import { api, takeFile } from "../../api/client.ts";
import { useAction } from "../../api/use-action.ts";
import { Button } from "../../components/button.tsx";
import { DownloadIcon } from "../../components/icons.tsx";
import { saveFile } from "../../save-file.ts";
import { paramOf, useProgram } from "../../session.tsx";
import { AskAfterRestore } from "./ask-after-restore.tsx";
import { failsUnlessRestored } from "./refusals.ts";

interface FileButtonProps {
  readonly payoutId: number;
  readonly title: string;
  readonly query: { readonly format: "csv" | "paypal" | "wise" | "sepa"; readonly part?: string };
}

export function FileButton({ payoutId, title, query }: FileButtonProps): JSX.Element {
  const { program } = useProgram();
  const download = useAction(
    (restoreAcknowledged: string | undefined) => {
      const param = { ...paramOf(program), payoutId: String(payoutId) };
      const asked = { ...query, ...(restoreAcknowledged !== undefined && { restoreAcknowledged }) };
      return takeFile(api.programs[":programId"].payouts[":payoutId"].$get({ param, query: asked }));
    },
    { onDone: saveFile, failsIn: failsUnlessRestored },
  );
  return (
    <>
      <Button isPending={download.isPending} onClick={() => download.run(undefined)}>
        <DownloadIcon /> {title}
      </Button>
      <AskAfterRestore wasFinal {...download} action="Download" onAcknowledge={download.run} />
    </>
  );
}
