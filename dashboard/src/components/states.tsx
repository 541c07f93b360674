import type { ComponentChildren, JSX } from "preact";
import { useLocation } from "preact-iso/router";
import type { Failure } from "../api/failure.ts";
import { errorMessage } from "../api/use-action.ts";
import type { Query } from "../api/use-query.ts";
import { addressWith, providerAddress } from "../url.ts";
import { Button, ButtonLink } from "./button.tsx";
import { Notice } from "./notice.tsx";

interface LoadedProps<T> {
  readonly query: Query<T>;
  /** A placeholder with the shape of the content, so that nothing moves when the content loads. */
  readonly skeleton: ComponentChildren;
  readonly children: (data: T) => ComponentChildren;
}

export function Loaded<T>({ query, skeleton, children }: LoadedProps<T>): JSX.Element {
  const { data, failure, isLoading, refetch } = query;
  if (data === undefined) {
    if (failure !== undefined && !failure.isOutage) {
      return <Failed failure={failure} onRetry={refetch} isPending={isLoading} />;
    }
    return (
      <div aria-busy="true">
        <p class="unseen" role="status">
          Loading…
        </p>
        <div aria-hidden="true">{skeleton}</div>
      </div>
    );
  }
  return (
    <>
      {failure !== undefined && !failure.isOutage && <Notice look="warn">{errorMessage(failure)}</Notice>}
      {children(data)}
    </>
  );
}

export interface FailedProps {
  readonly failure: Failure;
  readonly onRetry: () => void;
  readonly isPending?: boolean;
}

const titles: Readonly<Record<number, string>> = {
  403: "You don't have access",
  404: "Not found",
};

export const failureTitle = ({ status }: Failure): string => titles[status] ?? "Something went wrong";

/** Adds the full stop that some of the service's messages lack. */
export const failureText = (failure: Failure): string => errorMessage(failure).replace(/\w$/, "$&.");

/** Names of the filters by their parameters in the address. */
const filterNames: Readonly<Record<string, string>> = {
  dateFrom: "start date",
  dateTo: "end date",
  from: "start date",
  to: "end date",
  cursor: "page",
  partnerId: "partner",
  currency: "currency",
  status: "status",
  sub: "sub-ID",
  eventType: "event type",
};

/** Query parameters that name a part of a page and aren't filters. */
const places = ["section", "of", "webhook"];

export function Failed(props: FailedProps): JSX.Element {
  const { path, query, route } = useLocation();
  const { failure } = props;
  const faulty = failure.fieldErrors.flatMap(({ path: name }) => (query[name] ? [filterNames[name] ?? name] : []));
  if (failure.status !== 400 || faulty.length === 0) return <FailedToLoad {...props} />;
  const kept = Object.fromEntries(places.map((name) => [name, query[name]]));
  return (
    <div class="state" role="alert">
      <h2>This view doesn't exist</h2>
      <p class="soft">The page's address has an invalid {faulty.join(" and ")}.</p>
      <Button onClick={() => route(addressWith(path, kept))}>Clear filters</Button>
    </div>
  );
}

function FailedToLoad({ failure, onRetry, isPending = false }: FailedProps): JSX.Element {
  const { url } = useLocation();
  return (
    <div class="state" role="alert">
      <h2>{failureTitle(failure)}</h2>
      <p class="soft">{failureText(failure)}</p>
      {failure.code === "oidc_required" ? (
        <ButtonLink href={providerAddress(url)}>Sign in there</ButtonLink>
      ) : (
        <Button onClick={onRetry} isPending={isPending}>
          Try again
        </Button>
      )}
    </div>
  );
}

interface EmptyProps {
  readonly title: string;
  readonly children: ComponentChildren;
  readonly action?: ComponentChildren;
}

export const Empty = ({ title, children, action }: EmptyProps): JSX.Element => (
  <div class="state">
    <h2>{title}</h2>
    <p class="soft">{children}</p>
    {action}
  </div>
);

export const Skeleton = ({ lines = 3 }: { readonly lines?: number }): JSX.Element => (
  <div class="skeleton">
    {Array.from({ length: lines }, (_, line) => (
      <span key={line} />
    ))}
  </div>
);
