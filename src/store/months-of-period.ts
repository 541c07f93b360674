import { type SQL, type SQLWrapper, sql } from "drizzle-orm";

// Like `periodOfDay` and `monthsOfPeriod` of the domain, as expressions in a query. `period` is "month", "quarter" or
// "year", and `month` is any month ("YYYY-MM") of the period.

const year = (month: SQLWrapper): SQL => sql`substr(${month}, 1, 4)`;
const quarter = (month: SQLWrapper): SQL => sql`(substr(${month}, 6, 2) - 1) / 3`;

export const periodOfMonth = (period: SQLWrapper, month: SQLWrapper): SQL =>
  sql`case ${period} when 'month' then ${month} when 'year' then ${year(month)}
    else printf('%s-Q%d', ${year(month)}, ${quarter(month)} + 1) end`;

export const firstMonthOf = (period: SQLWrapper, month: SQLWrapper): SQL =>
  sql`case ${period} when 'month' then ${month} when 'year' then ${year(month)} || '-01'
    else printf('%s-%02d', ${year(month)}, ${quarter(month)} * 3 + 1) end`;

export const lastMonthOf = (period: SQLWrapper, month: SQLWrapper): SQL =>
  sql`case ${period} when 'month' then ${month} when 'year' then ${year(month)} || '-12'
    else printf('%s-%02d', ${year(month)}, ${quarter(month)} * 3 + 3) end`;
