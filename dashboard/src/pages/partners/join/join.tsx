import "./join.css";
import type { JSX } from "preact";
import { useGroups } from "../../../api/groups.ts";
import { Card } from "../../../components/card.tsx";
import { Code } from "../../../components/copy.tsx";
import { Loaded, Skeleton } from "../../../components/states.tsx";
import { useProgram } from "../../../session.tsx";
import { ReadOnlyFacts } from "../../settings/read-only-facts.tsx";
import { Sections } from "../sections.tsx";
import { JoinForm } from "./join-form.tsx";
import { closed, type JoinPage, modes, useJoinPage } from "./queries.ts";
import { TermsCard } from "./terms.tsx";

export default function Join(): JSX.Element {
  const { mayChange } = useProgram();
  const page = useJoinPage();
  return (
    <>
      <header class="page-head">
        <h1>Partners</h1>
      </header>
      <Sections current="join" />
      <div class="join-settings">
        <Card title="Join page" lead="A page on which people apply to become partners of your program.">
          <Loaded query={page} skeleton={<Skeleton lines={12} />}>
            {(found) => (
              <>
                {found !== null && <PageLink page={found} />}
                {mayChange("admin") ? <JoinForm page={found} /> : <Facts page={found} />}
              </>
            )}
          </Loaded>
        </Card>
        <TermsCard />
      </div>
    </>
  );
}

/** The published address of the join page. Browsers don't send the part after # to a server, so no log has it. */
const linkOf = (slug: string): string => `${location.origin}/partner/#/join/${slug}`;

const PageLink = ({ page: { mode, slug } }: { readonly page: JoinPage }): JSX.Element => (
  <div class="stack">
    <Code text={linkOf(slug)} what="link to the join page" />
    <p class="hint">
      {mode === "closed"
        ? "Applications are closed. People who open the link see that they can't apply."
        : "Share this link, or put it on your website."}
    </p>
  </div>
);

const Facts = ({ page }: { readonly page: JoinPage | null }): JSX.Element => (
  <ReadOnlyFacts
    facts={[
      ["Applications", (modes.find(([mode]) => mode === page?.mode) ?? closed)[1]],
      ["Headline", page?.headline],
      ["Description", page?.description],
      ["Group", useGroups().data?.find(({ id }) => id === page?.groupId)?.name],
      ["Questions", page?.questions.map(({ label }) => label).join(" · ")],
    ]}
  />
);
