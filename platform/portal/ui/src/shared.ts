// The modules that several pages use. Every page imports all of them, so the bundle has them in one
// file: many small files have more bytes.

import "./core/clock";
import "./core/filter";
import "./core/history";
import "./core/instant";
import "./core/live";
import "./core/openedlist";
import "./core/phone";
import "./core/recording";
import "./core/resource";
import "./core/shown";
import "./design/field";
import "./design/filterbar";
import "./design/key";
import "./design/lifepaint";
import "./design/lifestrip";
import "./design/panel";
import "./design/stateicon";
import "./design/yamlview";
import "./pages/job/expected";
import "./pages/timeline/look";
import "./pages/timeline/ticks";
