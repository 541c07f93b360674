import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { lazy } from "../../../components/lazy.tsx";
import { DayOf } from "../../../components/time.tsx";
import { nameInText } from "../../../named-by-code.ts";
import { TermsText } from "../../terms-text.tsx";
import type { JoinPage } from "./queries.ts";

const JoinEstimate = lazy(() => import("./estimate.tsx"), null);

interface PresentationProps {
  readonly slug: string;
  readonly page: JoinPage;
  readonly isSignedOut: boolean;
}

/** The program's presentation of itself. The form shows the terms, if there are any. */
export function Presentation({ slug, page, isSignedOut }: PresentationProps): JSX.Element {
  const { name, website, currency, headline, description, commission, terms } = page;
  const host = website === null ? undefined : URL.parse(website)?.host;
  return (
    <section class="card" aria-labelledby="join-program">
      <div class="join-head breakable">
        <h1 id="join-program">{headline.trim() === "" ? `Become a partner of ${nameInText(name)}` : headline}</h1>
        <p class="soft">
          Partner program of <bdi>{name}</bdi>
          {website !== null && host !== undefined && (
            <>
              {" · "}
              <a href={website} target="_blank" rel="noreferrer nofollow">
                {host}
              </a>
            </>
          )}
        </p>
      </div>
      <p class="join-commission breakable">
        {commission === null ? (
          "Sales currently earn no commission."
        ) : (
          <>
            You earn <strong>{commission}</strong>.
          </>
        )}
      </p>
      {commission !== null && <EstimatePart slug={slug} currency={currency} />}
      {description.trim() !== "" && <p class="join-description breakable">{description}</p>}
      {isSignedOut && terms !== null && <Terms terms={terms} />}
    </section>
  );
}

/** A part that the visitor opens to calculate what a new partner would earn. Its code is loaded then. */
function EstimatePart({ slug, currency }: { readonly slug: string; readonly currency: string }): JSX.Element {
  const [wasOpen, setWasOpen] = useState(false);
  return (
    <details class="join-part" onToggle={() => setWasOpen(true)}>
      <summary>What would I earn?</summary>
      <p class="soft">From a customer whom you refer. Single products can have other terms.</p>
      {wasOpen && <JoinEstimate slug={slug} currency={currency} />}
    </details>
  );
}

interface TermsProps {
  readonly terms: NonNullable<JoinPage["terms"]>;
  readonly isOpen?: boolean;
}

export const Terms = ({ terms: { version, text, createdAt }, isOpen = false }: TermsProps): JSX.Element => (
  <details class="join-part" open={isOpen}>
    <summary>
      Terms of the program{" "}
      <span class="soft">
        version {version}, <DayOf at={createdAt} />
      </span>
    </summary>
    <TermsText text={text} />
  </details>
);
