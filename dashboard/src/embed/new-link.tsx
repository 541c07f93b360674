import type { ComponentChildren, JSX, TargetedSubmitEvent } from "preact";
import { useId, useState } from "preact/hooks";
import { take } from "../api/client.ts";
import { Failure } from "../api/failure.ts";
import { refresh } from "../api/use-query.ts";
import { Button } from "../components/button.tsx";
import { embedApi, header } from "./client.ts";
import { whyNoLink } from "./words.ts";

/** Creates the person's first link, or a link with a code that they chose. */
export function useNewLink() {
  const [isPending, setIsPending] = useState(false);
  const [failure, setFailure] = useState<Failure>();
  const create = async (code?: string): Promise<boolean> => {
    if (isPending) return false;
    setIsPending(true);
    setFailure(undefined);
    try {
      await take(embedApi.links.$post({ header, json: { ...(code !== undefined && { code }) } }));
      refresh("overview", "links");
      return true;
    } catch (error) {
      const cause = Failure.of(error);
      // A 401 is shown by the page itself, which says that the access has ended.
      if (cause.status !== 401) setFailure(cause);
      return false;
    } finally {
      setIsPending(false);
    }
  };
  return { create, isPending, failure };
}

interface CodeFormProps {
  readonly link: ReturnType<typeof useNewLink>;
  readonly onDone?: () => void;
  readonly beside?: ComponentChildren;
}

export function CodeForm({ link, onDone, beside }: CodeFormProps): JSX.Element {
  const id = useId();
  const { create, failure, isPending } = link;
  const onSubmit = async (event: TargetedSubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    const code = String(new FormData(event.currentTarget).get("code")).trim();
    if (await create(code)) onDone?.();
  };
  return (
    <form class="new-code" onSubmit={(event) => void onSubmit(event)}>
      <label for={id}>Your code</label>
      <input
        ref={focusOnce}
        id={id}
        name="code"
        class="control"
        required
        minLength={2}
        maxLength={64}
        autocomplete="off"
        spellcheck={false}
        aria-invalid={failure !== undefined}
        aria-describedby={`${id}-hint`}
      />
      <p id={`${id}-hint`} {...(failure === undefined ? { class: "hint" } : { class: "fault", role: "alert" })}>
        {failure === undefined
          ? "Letters, digits, hyphens and underscores. It can't be changed later."
          : whyNoLink(failure)}
      </p>
      <div class="row">
        <Button type="submit" look="primary" isPending={isPending}>
          Create link
        </Button>
        {beside}
      </div>
    </form>
  );
}

const focusOnce = (input: HTMLInputElement | null): void => input?.focus();
