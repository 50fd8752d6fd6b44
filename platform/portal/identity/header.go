package identity

// HeaderCSRF is the header with the token of [Identity.CSRF] that a browser must send with every
// write.
const HeaderCSRF = "X-Vedette-CSRF"
