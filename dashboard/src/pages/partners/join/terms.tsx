import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { api, take } from "../../../api/client.ts";
import { useAction } from "../../../api/use-action.ts";
import { Button } from "../../../components/button.tsx";
import { Card } from "../../../components/card.tsx";
import { Dialog } from "../../../components/dialog.tsx";
import { Form, TextArea, type Values } from "../../../components/form.tsx";
import { Notice } from "../../../components/notice.tsx";
import { Loaded, Skeleton } from "../../../components/states.tsx";
import { DayOf } from "../../../components/time.tsx";
import { paramOf, useProgram } from "../../../session.tsx";
import { useDraft } from "../../../use-draft.ts";
import { type Terms, useTerms } from "./queries.ts";

export function TermsCard(): JSX.Element {
  const { mayChange } = useProgram();
  const terms = useTerms();
  const [isPublishing, setIsPublishing] = useState(false);
  const newest = terms.data?.[0];
  return (
    <Card
      title="Terms"
      lead="Partners accept them when they apply or accept an invitation."
      actions={
        mayChange("admin") &&
        terms.data !== undefined && (
          <Button onClick={() => setIsPublishing(true)}>
            {newest === undefined ? "Publish terms…" : "Publish a new version…"}
          </Button>
        )
      }
    >
      <Loaded query={terms} skeleton={<Skeleton lines={6} />}>
        {([current, ...earlier]) =>
          current === undefined ? (
            <p class="soft">No terms yet. People can apply without accepting any.</p>
          ) : (
            <>
              <Version terms={current} isCurrent />
              {earlier.map((each) => (
                <Version key={each.version} terms={each} />
              ))}
            </>
          )
        }
      </Loaded>
      {isPublishing && <PublishTerms newest={newest} onClose={() => setIsPublishing(false)} />}
    </Card>
  );
}

const Version = ({
  terms: { version, text, createdAt },
  isCurrent = false,
}: {
  readonly terms: Terms;
  readonly isCurrent?: boolean;
}): JSX.Element => (
  <details class="terms-version" open={isCurrent}>
    <summary>
      Version {version}
      {isCurrent && " (current)"}, published <DayOf at={createdAt} />
    </summary>
    {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
    <section class="terms-text" tabIndex={0} aria-label={`Terms, version ${version}`}>
      {text}
    </section>
  </details>
);

interface PublishTermsProps {
  readonly newest: Terms | undefined;
  readonly onClose: () => void;
}

function PublishTerms({ newest, onClose }: PublishTermsProps): JSX.Element {
  const { program } = useProgram();
  const draft = useDraft(`program ${program.id} terms`, { text: newest?.text ?? "" });
  const publish = useAction(
    ({ text = "" }: Values) => {
      const json = { text: text.replaceAll("\r\n", "\n") };
      return take(api.programs[":programId"].terms.$post({ param: paramOf(program), json }));
    },
    {
      failsIn: "form",
      done: ({ data }) => `Version ${data.version} is published.`,
      refreshes: [`program ${program.id} terms`, `program ${program.id} audit`],
      onDone: () => {
        draft.markSaved();
        onClose();
      },
    },
  );
  return (
    <Dialog title={newest === undefined ? "Publish terms" : "Publish a new version"} onClose={onClose}>
      <Form action={publish} submit="Publish" draft={draft} isUnchanged={!draft.isDirty} onCancel={onClose}>
        <div class="long-text">
          <TextArea name="text" label="Terms" hint="Plain text, up to 20,000 characters." />
        </div>
        <Notice look="warn">
          All partners will be asked to accept {newest === undefined ? "the terms" : "this version"} at their next
          visit. Until they do, nothing is withheld. You can't change or remove a published version.
        </Notice>
      </Form>
    </Dialog>
  );
}
