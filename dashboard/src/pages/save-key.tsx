import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { Button } from "../components/button.tsx";
import { Code } from "../components/copy.tsx";
import { DownloadIcon } from "../components/icons.tsx";
import { Notice } from "../components/notice.tsx";
import { forgetOneTimeKey, type OneTimeKey } from "../one-time-key.ts";
import { Plain } from "../shell/plain.tsx";

function download(name: string, text: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type: "text/plain" }));
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}

/** Stands in for the program's pages until the user has saved the key: afterwards, nobody can show it again. */
export default function SaveKey({ of: { key, about } }: { readonly of: OneTimeKey }): JSX.Element {
  const [isSaved, setIsSaved] = useState(false);
  const env = `TRIBUTARY_URL=${location.origin}\nTRIBUTARY_API_KEY=${key}\n`;
  return (
    <Plain title="Save your API key" lead={about ?? "Your server uses this key to report leads and sales."}>
      <Code text={key} what="key" />
      <Notice look="warn">Save it now. We store only a hash, so we can't show it again.</Notice>
      <div class="row">
        <Button onClick={() => download("tributary.env", env)}>
          <DownloadIcon /> Download .env
        </Button>
      </div>
      <label class="check-line">
        <input type="checkbox" checked={isSaved} onChange={(event) => setIsSaved(event.currentTarget.checked)} />
        I've saved it
      </label>
      <div class="row">
        <Button look="primary" isDisabled={!isSaved} onClick={forgetOneTimeKey}>
          Continue
        </Button>
      </div>
    </Plain>
  );
}
