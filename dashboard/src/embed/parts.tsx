import "./copied-link.css";
import type { ComponentChildren, JSX } from "preact";
import { useEffect, useId, useRef, useState } from "preact/hooks";
import type { Failure } from "../api/failure.ts";
import { refresh } from "../api/use-query.ts";
import { Button } from "../components/button.tsx";
import { askForToken } from "./token.ts";
import { whyNothing } from "./words.ts";

interface SectionProps {
  readonly title: string;
  readonly children: ComponentChildren;
}

export function Section({ title, children }: SectionProps): JSX.Element {
  const id = useId();
  return (
    <section class="card" aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      {children}
    </section>
  );
}

export const Waiting = (): JSX.Element => (
  <div class="waiting" role="status">
    <span class="unseen">Loading…</span>
  </div>
);

function tryAgain({ status }: Failure): void {
  if (status === 401) askForToken();
  refresh("");
}

export function Trouble({ failure }: { readonly failure: Failure }): JSX.Element {
  const { title, text } = whyNothing(failure);
  return (
    <div class="trouble" role="alert">
      <p>
        <strong>{title}.</strong> {text}
      </p>
      <Button onClick={() => tryAgain(failure)}>Try again</Button>
    </div>
  );
}

interface CopiedLinkProps {
  readonly link: string;
  readonly label: string;
  /** Set if the field replaces the button that had the focus. */
  readonly takesFocus?: boolean;
}

const shownMs = 4_000;

/** Copies with the clipboard API, or with the older command, which also works in a frame that may not use the API. */
async function copy(text: string, field: HTMLTextAreaElement | null): Promise<boolean> {
  field?.select();
  return navigator.clipboard.writeText(text).then(
    () => true,
    () => document.execCommand("copy"),
  );
}

export function CopiedLink({ link, label, takesFocus = false }: CopiedLinkProps): JSX.Element {
  const field = useRef<HTMLTextAreaElement>(null);
  const [notice, setNotice] = useState("");
  useEffect(() => {
    if (takesFocus) field.current?.focus();
  }, []);
  useEffect(() => {
    if (notice === "") return undefined;
    const timer = setTimeout(() => setNotice(""), shownMs);
    return () => clearTimeout(timer);
  }, [notice]);
  const onCopy = () =>
    void copy(link, field.current)
      .catch(() => false)
      .then((isCopied) =>
        setNotice(isCopied ? "Copied." : "Your browser blocked copying. The link is selected: copy it."),
      );
  return (
    <div class="copied-link">
      <div class="whole" data-text={link}>
        <textarea
          ref={field}
          rows={2}
          class="control"
          readOnly
          value={link}
          aria-label={label}
          onFocus={({ currentTarget }) => currentTarget.select()}
        />
      </div>
      <Button look="primary" label={`Copy ${label.toLowerCase()}`} onClick={onCopy}>
        Copy
      </Button>
      <p class="copied" role="status">
        {notice}
      </p>
    </div>
  );
}
