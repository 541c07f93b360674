import type { JSX } from "preact";
import { CopyButton } from "../../../components/copy.tsx";
import { Skeleton } from "../../../components/states.tsx";
import { usePartner } from "../../access.tsx";
import { isWorking, useLinks } from "../links/queries.ts";

export function OwnLink(): JSX.Element {
  const { address } = usePartner();
  const links = useLinks();
  const first = links.data?.data.find(isWorking);
  const isWaiting = links.data === undefined && links.failure === undefined;
  return (
    <section class="card answer" aria-label="Your link" aria-busy={isWaiting || undefined}>
      <h2>Your link</h2>
      {first !== undefined ? (
        <>
          <p class="answer-link">
            <bdi>{first.link.replace(/^https:\/\//, "")}</bdi>
          </p>
          <div class="row">
            <CopyButton text={first.link} what="link" title="Copy link" look="primary" />
            <a href={address("links")}>More links</a>
          </div>
        </>
      ) : isWaiting ? (
        <Skeleton lines={2} />
      ) : (
        <p class="soft">
          You have no active link. <a href={address("links")}>See your codes</a>.
        </p>
      )}
    </section>
  );
}
