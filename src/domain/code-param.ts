/**
 * Names of query parameters that may hold a partner's code in links of another program, instead of `aff`. `aff_sub` and
 * `utm_*` have other meanings.
 */
export const codeParamForm = /^(?!aff(?:_sub)?$|utm_)[a-z0-9_-]{1,20}$/;
