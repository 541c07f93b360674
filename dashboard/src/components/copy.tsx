import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { Button } from "./button.tsx";
import { CheckIcon, CopyIcon } from "./icons.tsx";
import { toast } from "./toast.tsx";

interface CopyProps {
  readonly text: string;
  /** The word for the copied text in labels and messages, such as "key" or "link". */
  readonly what: string;
  readonly title?: string;
  readonly look?: "primary" | "secondary" | "quiet";
}

export function CopyButton({ text, what, title, look = "secondary" }: CopyProps): JSX.Element {
  const [isCopied, setIsCopied] = useState(false);
  useEffect(() => {
    if (!isCopied) return;
    const timer = setTimeout(() => setIsCopied(false), 2_000);
    return () => clearTimeout(timer);
  }, [isCopied]);
  const copy = () =>
    navigator.clipboard.writeText(text).then(
      () => {
        setIsCopied(true);
        toast("Copied to the clipboard.");
      },
      () => toast(`Your browser blocked copying the ${what}. Select it and copy it yourself.`, { look: "danger" }),
    );
  return (
    <Button look={look} label={title ?? `Copy ${what}`} onClick={copy}>
      {isCopied ? <CheckIcon /> : <CopyIcon />} {title ?? "Copy"}
    </Button>
  );
}

export const Code = ({ text, what }: Pick<CopyProps, "text" | "what">): JSX.Element => (
  <div class="code">
    <section aria-label={what}>
      <pre>
        <code>{text}</code>
      </pre>
    </section>
    <CopyButton text={text} what={what} />
  </div>
);
