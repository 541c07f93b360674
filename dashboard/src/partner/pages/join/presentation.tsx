import type { JSX } from "preact";
import { DayOf } from "../../../components/time.tsx";
import { TermsText } from "../../terms-text.tsx";
import { JoinEstimate } from "./estimate.tsx";
import type { JoinPage } from "./queries.ts";

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
        <h1 id="join-program">{headline.trim() === "" ? `Become a partner of ${name}` : headline}</h1>
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
      {commission !== null && (
        <p class="join-commission breakable">
          You earn <strong>{commission}</strong>.
        </p>
      )}
      {commission !== null && <JoinEstimate slug={slug} currency={currency} />}
      {description.trim() !== "" && <p class="join-description breakable">{description}</p>}
      {isSignedOut && terms !== null && <Terms terms={terms} />}
    </section>
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
