import type { JSX } from "preact";
import { useRef, useState } from "preact/hooks";
import { Badge } from "../components/badge.tsx";
import { Button } from "../components/button.tsx";
import { Money } from "../components/numbers.tsx";
import { pluralize } from "../format.ts";
import { EstimateDetails } from "./estimate.tsx";
import { CodeForm, useNewLink } from "./new-link.tsx";
import { CopiedLink, Section } from "./parts.tsx";
import { LinkPicture } from "./picture.tsx";
import type { Link, Overview } from "./queries.ts";
import { Benefits } from "./start.tsx";

/** The number of links that a person can create in addition to the first one. */
const maxCodes = 5;

interface OwnLinksProps {
  readonly overview: Overview;
  readonly links: readonly Link[];
  /** True if the person has just created the first link. */
  readonly isNew: boolean;
}

export function OwnLinks({ overview, links, isNew }: OwnLinksProps): JSX.Element {
  const [first, ...others] = links;
  const created = others.filter(({ madeBy }) => madeBy === "partner").length;
  const { currency } = overview.meta;
  return (
    <Section title="Your link">
      <Benefits overview={overview} />
      {first && <OneLink of={first} label="Your link" takesFocus={isNew} />}
      {first?.link && <LinkPicture link={first.link} />}
      {others.length > 0 && (
        <ul class="codes" aria-label="Your other links">
          {others.map((link) => (
            <li key={link.code}>
              <OneLink of={link} label={`Link with the code ${link.code}`} />
              <p class="soft small">
                {pluralize(link.clicks, "click")}, {pluralize(link.sales, "sale")},{" "}
                <Money amountCents={link.commissionCents} currency={currency} /> earned in the last 30 days
              </p>
            </li>
          ))}
        </ul>
      )}
      {overview.data.status === "active" && created < maxCodes && <NewCode />}
      <EstimateDetails overview={overview} />
    </Section>
  );
}

interface OneLinkProps {
  readonly of: Link;
  readonly label: string;
  readonly takesFocus?: boolean;
}

function OneLink({ of, label, takesFocus = false }: OneLinkProps): JSX.Element {
  const { link, status, code } = of;
  if (status === "paused") {
    return (
      <p>
        <bdi>{code}</bdi> <Badge tone="warn">Paused: clicks aren't counted</Badge>
      </p>
    );
  }
  if (link === null) return <p class="soft">Your code is {code}. Its link works once the program has a website.</p>;
  return <CopiedLink link={link} label={label} takesFocus={takesFocus} />;
}

function NewCode(): JSX.Element {
  const [isOpen, setIsOpen] = useState(false);
  const wasOpen = useRef(false);
  const link = useNewLink();
  const close = () => {
    wasOpen.current = true;
    setIsOpen(false);
  };
  // Closing the form removes the focused button, so the focus moves to the button that opens the form.
  const takeFocus = (place: HTMLElement | null) => {
    if (wasOpen.current) place?.querySelector("button")?.focus();
  };
  if (isOpen) return <CodeForm link={link} onDone={close} beside={<Button onClick={close}>Cancel</Button>} />;
  return (
    <div ref={takeFocus}>
      <Button look="quiet" onClick={() => setIsOpen(true)}>
        Create a link with your own code
      </Button>
    </div>
  );
}
