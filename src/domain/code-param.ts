/**
 * Names of query parameters that may hold a partner's code in place of `aff`, in links of another program. `aff_sub` and
 * `utm_*` have meanings of their own.
 */
export const codeParamForm = /^(?!aff(?:_sub)?$|utm_)[a-z0-9_-]{1,20}$/;
