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

const texts = {
  key: {
    title: "Save your API key",
    lead: "Your server uses this key to report leads and sales.",
    warning: "Save it now. We store only a hash, so we can't show it again.",
    env: (key: string) => `TRIBUTARY_URL=${location.origin}\nTRIBUTARY_API_KEY=${key}\n`,
  },
  secret: {
    title: "Save the signing secret",
    lead: "Your server uses this secret to check that deliveries come from us.",
    warning: "Save it now. We don't show it again. If you lose it, rotate it.",
    env: (secret: string) => `TRIBUTARY_WEBHOOK_SECRET=${secret}\n`,
  },
} as const;

/** Replaces the program's pages until the user has saved the key, which can't be shown again. */
export default function SaveKey({ of: { key, about, kind } }: { readonly of: OneTimeKey }): JSX.Element {
  const [isSaved, setIsSaved] = useState(false);
  const what = kind === "webhook" ? "secret" : "key";
  const { title, lead, warning, env } = texts[what];
  return (
    <Plain title={title} lead={about ?? lead}>
      <Code text={key} what={what} />
      <Notice look="warn">{warning}</Notice>
      <div class="row">
        <Button onClick={() => download("tributary.env", env(key))}>
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
