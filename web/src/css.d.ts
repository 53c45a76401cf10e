// SPDX-License-Identifier: MIT OR GPL-2.0-only
// Style sheets are taken into the page by the build.
declare module "*.css";
