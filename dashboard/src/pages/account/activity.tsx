import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { accountActionTitles } from "../../account-actions.ts";
import { api, take } from "../../api/client.ts";
import { useQuery } from "../../api/use-query.ts";
import { Button } from "../../components/button.tsx";
import { Loaded, Skeleton } from "../../components/states.tsx";
import { Instant } from "../../components/time.tsx";
import { regionName } from "../../region-name.ts";

export const activityKey = "activity";

const shownAtFirst = 10;

export function Activity(): JSX.Element {
  const [isWhole, setIsWhole] = useState(false);
  const activity = useQuery(
    activityKey,
    async (signal) => (await take(api.auth.activity.$get({ query: {} }, { init: { signal } }))).data,
  );
  return (
    <section class="account-section">
      <h2>Recent activity</h2>
      <Loaded query={activity} skeleton={<Skeleton lines={4} />}>
        {(list) => (
          <>
            <ul class="sessions">
              {list.slice(0, isWhole ? undefined : shownAtFirst).map(({ id, at, action, device, place }) => (
                <li key={id}>
                  <span>
                    {accountActionTitles[action]}
                    <small>{[device, place && regionName(place)].filter(Boolean).join(", ") || "Unknown device"}</small>
                  </span>
                  <span class="soft">
                    <Instant at={at} />
                  </span>
                </li>
              ))}
            </ul>
            {!isWhole && list.length > shownAtFirst && (
              <div class="row">
                <Button onClick={() => setIsWhole(true)}>Show more</Button>
              </div>
            )}
          </>
        )}
      </Loaded>
    </section>
  );
}
