import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import { useLocation } from "preact-iso/router";
import { errorMessage } from "../../api/use-action.ts";
import { ButtonLink } from "../../components/button.tsx";
import { forgetLinkToken, linkToken } from "../../link-token.ts";
import { useSignedIn } from "../../session.tsx";
import { Plain, PlainSkeleton } from "../../shell/plain.tsx";
import { pageOf, programOfProposal, useProposal } from "./use-proposal.ts";

/** Opens the page of a proposal from its link. */
export default function OpenProposal(): JSX.Element {
  const session = useSignedIn();
  const token = linkToken("proposal");
  const programId = token === undefined ? undefined : programOfProposal(token);
  if (token === undefined || programId === undefined) return <Unusable text={unusable} />;
  return session.data ? <OfToken token={token} programId={programId} /> : <PlainSkeleton />;
}

const unusable = "The link is incomplete. Open it again, or ask for a new one. Nothing was changed.";

const Unusable = ({ text }: { readonly text: string }): JSX.Element => (
  <Plain title="This proposal can't be opened">
    <p class="soft">{text}</p>
    <div class="row">
      <ButtonLink href="/app/">Go to your programs</ButtonLink>
    </div>
  </Plain>
);

interface OfTokenProps {
  readonly token: string;
  readonly programId: number;
}

function OfToken({ token, programId }: OfTokenProps): JSX.Element {
  const { route } = useLocation();
  const { data, failure } = useProposal(programId, token);
  const isRefused = failure !== undefined && !failure.isOutage;
  useEffect(() => {
    if (isRefused) forgetLinkToken("proposal");
    else if (data !== undefined) route(pageOf(programId, data), true);
  }, [data, isRefused]);
  return isRefused ? <Unusable text={errorMessage(failure)} /> : <PlainSkeleton />;
}
