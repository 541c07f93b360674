import type { JSX } from "preact";
import { lazy } from "../../components/lazy.tsx";
import { Loaded, Skeleton } from "../../components/states.tsx";
import { Answers, AnswersSkeleton } from "./overview/answers.tsx";
import { useOverview } from "./overview/queries.ts";
import { useProfile } from "./profile-query.ts";

const Figures = lazy(
  () => import("./overview/figures.tsx"),
  <div class="card figures-waiting">
    <Skeleton lines={3} />
  </div>,
);

export default function Overview(): JSX.Element {
  // 90 days contain both the current month and the chart's days.
  const overview = useOverview("90d");
  // Read before anything is shown, so that the notice about missing payment details doesn't move the page.
  const profile = useProfile();
  const isWaiting = profile.data === undefined && profile.failure === undefined;
  return (
    <>
      <h1 class="unseen">Overview</h1>
      <Loaded query={isWaiting ? { ...overview, data: undefined } : overview} skeleton={<AnswersSkeleton />}>
        {(found) => (
          <div class="stack">
            <Answers overview={found} hasDetails={profile.data?.payment !== null} />
            <Figures overview={found} isStale={overview.isStale} />
          </div>
        )}
      </Loaded>
    </>
  );
}
