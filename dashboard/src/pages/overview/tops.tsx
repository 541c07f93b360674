import type { JSX } from "preact";
import { Loaded, Skeleton } from "../../components/states.tsx";
import type { useOverview, useTopPartners } from "./queries.ts";
import { Sources } from "./sources.tsx";
import { TopPartners } from "./top-partners.tsx";

interface TopsProps {
  readonly overview: ReturnType<typeof useOverview>;
  readonly partners: ReturnType<typeof useTopPartners>;
}

const Tops = ({ overview, partners }: TopsProps): JSX.Element => (
  <div class="tops">
    <Loaded query={partners} skeleton={<CardSkeleton />}>
      {({ data, meta }) => <TopPartners partners={data} currency={meta.currency} />}
    </Loaded>
    <Loaded query={overview} skeleton={<CardSkeleton />}>
      {(known) => <Sources overview={known} />}
    </Loaded>
  </div>
);
export default Tops;

const CardSkeleton = (): JSX.Element => (
  <div class="card">
    <Skeleton lines={6} />
  </div>
);
