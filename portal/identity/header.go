package identity

// HeaderCSRF is the header that every write of a browser has, with the token of
// [Identity.CSRF].
const HeaderCSRF = "X-Vedette-CSRF"
