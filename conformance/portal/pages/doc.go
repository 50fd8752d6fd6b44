// Package pages tests each page of the portal in a browser, with the sample data of platform/portal/ui/fixture,
// because it has every state: axe-core finds nothing serious, everything fits, keys work, and
// each rendering is readable. axe-core comes from `npm ci --prefix platform/portal/ui`.
//
// -portal.screenshots=DIR saves screenshots of all pages, and -portal.readme creates
// docs/images/portal-*.png.
package pages
