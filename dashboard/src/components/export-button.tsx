import type { JSX } from "preact";
import { takeFile } from "../api/client.ts";
import { useAction } from "../api/use-action.ts";
import { saveFile } from "../save-file.ts";
import { Button } from "./button.tsx";
import { DownloadIcon } from "./icons.tsx";

interface ExportButtonProps {
  /** The call that returns the file. */
  readonly call: () => Parameters<typeof takeFile>[0];
  readonly title?: string;
  /** For screen readers, if the title doesn't say what is exported. */
  readonly label?: string;
}

/** A button that downloads a file by an API call, not a link, so that a failure is shown as a message, not as JSON. */
export function ExportButton({ call, title = "Export", label }: ExportButtonProps): JSX.Element {
  const download = useAction(() => takeFile(call()), { onDone: saveFile });
  return (
    <Button
      {...(label !== undefined && { label })}
      isPending={download.isPending}
      onClick={() => download.run(undefined)}
    >
      <DownloadIcon /> {title}
    </Button>
  );
}
